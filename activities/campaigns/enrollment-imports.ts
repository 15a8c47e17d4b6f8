// Imports enrollments, one part per commit.
import { unixNow } from '../../adapters/clock.ts'
import { analyzeEnrollments, continueImport, giveUpImport } from '../../entities/campaigns/imports.ts'
import { statement, transaction } from '../kit/database.ts'
import { failpoint } from '../kit/failpoints.ts'
import { slice } from '../kit/slices.ts'

const part = (id: string): Promise<boolean> =>
  transaction(async (em) => {
    const over = await continueImport(em, id, unixNow())
    await failpoint('import_part', 'campaign_imports', id)
    return over
  })

/**
 * After the last part, the planner learns of the new rows: without it, a campaign that is launched at once is read by
 * the wrong index.
 */
export async function importEnrollments(id: string): Promise<'more' | 'over'> {
  const progress = await slice(() => part(id))
  if (progress === 'over') await statement((em) => analyzeEnrollments(em))
  return progress
}

/** Ends the import as failed; its parts stay. */
export async function failImport(id: string): Promise<void> {
  await statement((em) => giveUpImport(em, id, unixNow()))
}
