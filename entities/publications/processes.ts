// The processes of publications.
import { config } from '../../config.ts'
import { describePublication, type PublicationFacts } from '../../rules/publications/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process, type QuarantineRun } from '../kit/process.ts'
import { revealAttention } from './attention.ts'
import { latePublications, startPublications } from './publications.ts'
import { quarantinePublication, toQuarantinePublications } from './quarantine.ts'

/** Publications whose call is not even a row. */
async function quarantinePublications({ since, now, statement, transaction, failed }: QuarantineRun): Promise<string> {
  const lost = { since, late_max_s: config.social.lateMaxS, version: config.social.graphVersion }
  let changed = 0
  for (const id of (await statement((em) => toQuarantinePublications(em, lost)).catch(failed('publications'))) ?? [])
    if (await transaction((em) => quarantinePublication(em, id, lost, now)).catch(failed(`publications ${id}`)))
      changed++
  return `publications: ${changed} that were due are looked for at their networks`
}

export const publicationProcesses = [
  process('publication', {
    late: [latePublications],
    attention: { social_reveal: revealAttention },
    startAhead: (em, limit, now) => startPublications(em, limit, now, config.social.aheadS),
    describe: describing<PublicationFacts>(
      {
        from: sql`social_publications x`,
        columns: sql`x.type, x.social_connection_id as connection_id`,
      },
      describePublication,
    ),
    quarantine: [{ when: 'after effects', run: quarantinePublications }],
  }),
] as const
