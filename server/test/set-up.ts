// Runs before every test file, also where modules are shared between them.
import { cleanUpAfterFile } from './clean-ups.ts'

cleanUpAfterFile()
