// All questions that an assistant can ask.
import type { Question } from './question.ts'
import { environmentQuestions } from './questions/environments.ts'
import { evidenceQuestions } from './questions/evidence.ts'
import { searchQuestions } from './questions/search.ts'
import { verdictQuestions } from './questions/verdicts.ts'

export const questions: readonly Question[] = [
  ...environmentQuestions,
  ...verdictQuestions,
  ...evidenceQuestions,
  ...searchQuestions,
]
