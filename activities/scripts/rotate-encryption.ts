// Encrypts everything under the first key of SECRETS_KEY, so that the later keys can be removed. Values that no key
// decrypts are reported and never changed.
import { type Head, headsAfter, reseal, sealedColumns } from '../../entities/platform/sealed-columns.ts'
import { type Script, ScriptRefusal } from './script.ts'
import { countsText, place, type Visited, type Walk, walkOn } from './walk.ts'

const rowsMax = 1_000
/** Ciphertexts that are read and written at a time. */
const bytesMax = 4 * 1_048_576

const isLater = ({ under }: Head) => under === 'later'

/** The rows of one batch: at most `bytesMax`, and at least one row. */
function portion(heads: readonly Head[]): Head[] {
  let bytes = 0
  const end = heads.findIndex((head, at) => {
    if (isLater(head)) bytes += head.bytes
    return at > 0 && bytes > bytesMax
  })
  return end < 0 ? [...heads] : heads.slice(0, end)
}

function messageOf(parts: readonly string[], { at, counts }: Walk): string {
  const encrypted = `Encrypted: ${countsText(counts.changed)}.`
  const left = counts.unreadable
    ? ` Left as they are, because no key of SECRETS_KEY opens them: ${countsText(counts.unreadable)}.`
    : ''
  if (at !== null) return `Column ${place(parts, at)}. ${encrypted}${left}`
  return `Nothing is left under a key behind the first of SECRETS_KEY. ${encrypted}${left}`
}

export const rotateEncryption: Script = async (em, value, progress) => {
  if (value) throw new ScriptRefusal('rotate-encryption takes no value.')
  const columns = sealedColumns(em)
  const parts = [...columns.keys()]
  const walk = await walkOn(parts, progress as Walk | null, async (part, rows): Promise<Visited> => {
    const column = columns.get(part)
    if (!column) return { last: null, busy: [], counts: {} }
    if ('only' in rows) {
      const { busy: _, ...counts } = await reseal(em, column, [rows.only], true)
      return { last: null, busy: [], counts }
    }
    const heads = await headsAfter(em, column, rows.after, rowsMax)
    const batch = portion(heads)
    const later = batch.filter(isLater).map(({ id }) => id)
    const done = later.length > 0 ? await reseal(em, column, later, false) : { changed: 0, unreadable: 0, busy: [] }
    const unreadable = done.unreadable + batch.filter(({ under }) => under === 'none').length
    const end = batch.length < rowsMax && batch.length === heads.length
    return {
      last: end ? null : (batch.at(-1)?.id ?? null),
      busy: done.busy,
      counts: { changed: done.changed, unreadable },
    }
  })
  return { progress: walk, message: messageOf(parts, walk), over: walk.at === null }
}
