// Brings what earlier versions stored into its form, and lists what stays as it is: after an upgrade to 0.3, once all
// processes are of it.
import { formParts, rewriteForms, storedAfter } from '../../entities/platform/stored-forms.ts'
import { type Script, ScriptRefusal } from './script.ts'
import { countsText, place, type Visited, type Walk, walkOn } from './walk.ts'

const rowsMax = 500
/** Rows that are named in the message. All are counted. */
const namedMax = 100

/** `named`: rows that stay as they are, with the reason. */
type Progress = { walk: Walk; named: string[] }

function messageOf({ walk: { at, counts }, named }: Progress): string {
  const done = `Brought into their form: ${countsText(counts.changed)}. Left as they are: ${countsText(counts.kept)}.`
  return [at === null ? done : `Column ${place(formParts, at)}. ${done}`, ...named].join('\n')
}

export const normalizeForms: Script = async (em, value, progress) => {
  if (value) throw new ScriptRefusal('normalize-forms takes no value.')
  const before = progress as Progress | null
  const named = [...(before?.named ?? [])]
  const walk = await walkOn(formParts, before?.walk ?? null, async (part, rows): Promise<Visited> => {
    const { ids, different } =
      'only' in rows ? { ids: [rows.only], different: [rows.only] } : await storedAfter(em, part, rows.after, rowsMax)
    const { changed, kept, busy } = await rewriteForms(em, part, different, 'only' in rows)
    for (const [id, reason] of kept) if (named.length < namedMax) named.push(`${part} of ${id}: ${reason}`)
    return { last: ids.length < rowsMax ? null : (ids.at(-1) ?? null), busy, counts: { changed, kept: kept.length } }
  })
  return { progress: { walk, named }, message: messageOf({ walk, named }), over: walk.at === null }
}
