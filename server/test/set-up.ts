// Runs before every test file, even when files share modules.
import { cleanUpAfterFile } from './clean-ups.ts'

cleanUpAfterFile()
