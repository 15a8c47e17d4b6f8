// What a reaction is: which kinds hold content, of which a person has one per target, who may send them, and which are
// published at once.
import { z } from 'zod'
import type { Block } from '../content/block-shape.ts'
import type { TaxonomyEntry } from '../content/taxonomies.ts'
import { hasLink } from '../links.ts'
import type { Fault } from '../refusal.ts'

export const ReactionTarget = z.enum(['product', 'service', 'provider', 'booking', 'node'])
export type ReactionTarget = z.infer<typeof ReactionTarget>

export const ReactionStatus = z.enum(['pending', 'published', 'hidden', 'removed'])
export type ReactionStatus = z.infer<typeof ReactionStatus>

export const ReactionKind = z
  .string()
  .regex(/^[a-z0-9_]{1,32}$/, 'Expected 1 to 32 of the characters `a` to `z`, `0` to `9` and `_`.')

/** Those with a meaning of their own; every other kind is a mark without blocks, and content with them. */
const marks = ['like', 'love', 'laugh', 'wow', 'sad', 'insightful'] as const

/** Replies to a root are of depth 1. */
export const REPLY_DEPTH_MAX = 5
/** Marks that a person may have at one place: with as many, made-up kinds are refused. */
export const OWN_KINDS_MAX = 20
/** Kinds at one place; one that is there already is always taken. Shown are the known ones and the most frequent. */
export const KINDS_MAX = 500
export const KINDS_SHOWN_MAX = 100
/** Counters of one kind at one place: people who react at once rarely meet at one row. */
export const SHARDS = 32

export const BLOCKS_MAX = 10
const CHARACTERS_MAX = 10_000
const blockTypes = ['text', 'markdown', 'number', 'boolean', 'date', 'select'] as const

/** The number of a kind `star_N`; null for any other kind. */
export const starsOf = (kind: string): number | null => (/^star_[1-5]$/.test(kind) ? Number(kind.slice(5)) : null)

/**
 * `mark`: without content, one of each kind per person and place. `star`: one per person and target. `review`: content,
 * one per person and place. `comment`: content.
 */
export type ReactionForm = 'mark' | 'star' | 'review' | 'comment'
export function formOf(kind: string, blocks: readonly unknown[]): ReactionForm {
  if (starsOf(kind) !== null) return 'star'
  if (kind === 'review' || kind === 'comment') return kind
  return (marks as readonly string[]).includes(kind) || blocks.length === 0 ? 'mark' : 'comment'
}

export const knownKinds: readonly string[] = [...marks, ...[1, 2, 3, 4, 5].map((n) => `star_${n}`), 'review', 'comment']
/** Whether the kind is made up by who sends it. */
export const isFreeKind = (kind: string): boolean => !knownKinds.includes(kind)

/** Whether the body of a request is a mark's. It is not checked yet: anything else is no mark. */
export function isMarkBody(body: unknown): boolean {
  const { kind, blocks, taxonomies } = Object(body) as Record<string, unknown>
  const isEmpty = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0)
  return typeof kind === 'string' && isEmpty(blocks) && isEmpty(taxonomies) && formOf(kind, []) === 'mark'
}

/** The same person is always counted in the same shard. */
export const shardOf = (personId: string): number => Number.parseInt(personId.slice(-2), 16) % SHARDS

export const ReactionSettings = z.strictObject({
  moderation: z
    .enum(['none', 'all', 'auto'])
    .optional()
    .describe(
      'Which content waits for a moderator: `none`, `all`, or `auto` (the default), content of visitors without a verified address that holds a link or one of `words`.',
    ),
  anonymous: z
    .enum(['all', 'marks', 'none'])
    .optional()
    .describe(
      'What visitors without a verified address may send: `all` (the default), `marks` and stars only, or `none`.',
    ),
  reviewers: z
    .enum(['anyone', 'verified', 'buyers'])
    .optional()
    .describe(
      'Who may send reviews and stars: `anyone` (the default), visitors with a `verified` address, or `buyers` of the target.',
    ),
  window: z
    .int()
    .min(0)
    .max(525_600)
    .optional()
    .describe('Minutes in which an author may change the content of a reaction; 15 by default, 0: never.'),
  words: z
    .array(z.string().trim().min(1).max(100))
    .max(500)
    .optional()
    .describe(
      'Whole words or phrases, in any case: content of visitors without a verified address that has one of them waits for a moderator, where `moderation` is `auto`.',
    ),
})
export type ReactionSettings = Required<z.infer<typeof ReactionSettings>>

const defaults: ReactionSettings = { moderation: 'auto', anonymous: 'all', reviewers: 'anyone', window: 15, words: [] }

/**
 * The settings of reactions in those of a tenant. Values that were stored before they had a meaning count as left out.
 */
export function reactionSettingsOf(settings: Record<string, unknown>): ReactionSettings {
  const given = ReactionSettings.safeParse(settings.reactions)
  return { ...defaults, ...(given.success ? given.data : {}) }
}

/** The strings in a value, and those that name its fields. */
function stringsIn(value: unknown): { texts: string[]; names: string[] } {
  if (typeof value === 'string') return { texts: [value], names: [] }
  if (value === null || typeof value !== 'object') return { texts: [], names: [] }
  const inner = Object.values(value).map(stringsIn)
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return { texts: inner.flatMap(({ texts }) => texts), names: [...own, ...inner.flatMap(({ names }) => names)] }
}

/** What the author writes into taxonomies. */
const filled = (taxonomies: readonly TaxonomyEntry[]): unknown[] =>
  taxonomies.flatMap(({ fields = [] }) => fields.map(({ value }) => value))

/**
 * Characters of texts, as Unicode counts them, and of names of fields; of numbers, lists and objects about as many as
 * their JSON has. Counting ends soon after `most`, and makes no list of the entries of a large value.
 */
function charactersIn(values: readonly unknown[], most: number): number {
  let count = 0
  const add = (value: unknown): void => {
    // A character has two code units at most.
    if (typeof value === 'string') count += value.length > 2 * most ? value.length : [...value].length
    else if (value === null || typeof value !== 'object') count += String(value ?? '').length
    else {
      const names = Array.isArray(value) ? [] : Object.keys(value)
      count += 1 + (Array.isArray(value) ? value.length : names.reduce((sum, name) => sum + name.length + 1, 0))
      addAll(Array.isArray(value) ? value : Object.values(value))
    }
  }
  const addAll = (inner: readonly unknown[]): void => {
    for (const one of inner) {
      if (count > most) return
      add(one)
    }
  }
  addAll(values)
  return count
}

/** Errors of the content of a reaction, besides those of all content. */
export function contentFaults(blocks: readonly Block[], taxonomies: readonly TaxonomyEntry[] = []): Fault[] {
  const faults: Fault[] = []
  const values = [...blocks.flatMap(({ properties, value }) => [properties, value]), ...filled(taxonomies)]
  if (charactersIn(values, CHARACTERS_MAX) > CHARACTERS_MAX)
    faults.push({
      pointer: '/blocks',
      code: 'too_big',
      detail: `Expected at most ${CHARACTERS_MAX} characters in all values and properties.`,
    })
  for (const [at, { type }] of blocks.entries())
    if (!(blockTypes as readonly string[]).includes(type))
      faults.push({
        pointer: `/blocks/${at}/type`,
        code: 'reference_not_allowed',
        detail: `Expected one of ${blockTypes.join(', ')}.`,
      })
  return faults
}

/**
 * The text as it reads: without characters that are not seen, and with one form of those that look alike, full stops of
 * other scripts included.
 */
function plain(text: string): string {
  const visible = text.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
  return visible.replaceAll('。', '.')
}

function wordsIn(text: string): string {
  // Upper case makes SS of ß; lower case comes before it, because a capital ẞ stays what it is.
  const folded = plain(text).toLowerCase().toUpperCase().toLowerCase()
  return ` ${(folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `
}

/** Whether readers would see nothing: no block has a value or properties, and texts have no visible characters. */
export const isBlank = (blocks: readonly Block[]): boolean =>
  blocks.every(({ properties = {}, value = null }) => {
    const isEmpty = typeof value === 'string' ? plain(value).trim() === '' : value === null
    return isEmpty && Object.keys(properties).length === 0
  })

/** The status of new or changed content. */
export function judged(
  { moderation, words }: ReactionSettings,
  blocks: readonly Block[],
  verified: boolean,
  taxonomies: readonly TaxonomyEntry[] = [],
): ReactionStatus {
  if (moderation === 'none') return 'published'
  if (moderation === 'all') return 'pending'
  // Readers may be shown all that a block has: a link in a key or a property is one, too.
  const { texts, names } = stringsIn([blocks.map(({ properties, value }) => [properties, value]), filled(taxonomies)])
  const held = wordsIn(texts.join(' '))
  const isSuspect =
    [...texts, ...names, ...blocks.flatMap(({ id = '', key }) => [id, key])].some((text) => hasLink(plain(text))) ||
    words.some((word) => held.includes(wordsIn(word)) && wordsIn(word).trim() !== '')
  return isSuspect && !verified ? 'pending' : 'published'
}

/** The average of a map of counts by kind: sum and number of its stars. Null without any; not rounded. */
export function starAverage(counts: Readonly<Record<string, number>>): { average: number | null; count: number } {
  let [sum, count] = [0, 0]
  for (const [kind, number] of Object.entries(counts)) {
    const stars = starsOf(kind)
    if (stars === null) continue
    sum += stars * number
    count += number
  }
  return { average: count === 0 ? null : sum / count, count }
}
