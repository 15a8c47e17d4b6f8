// The search text of each kind of record. Writers and the reindex script use the same functions.
import { searchText, textsIn } from './search.ts'

type Valued = { value?: unknown }
type Keyed = { key: string }

/** `more`: further texts, such as the SKUs of a product's variants. */
export const namedWords = (
  { key, slug, blocks }: Keyed & { slug: Record<string, string>; blocks: readonly Valued[] },
  more: readonly (string | null)[] = [],
): string => searchText([key, ...textsIn(slug), ...more, ...textsIn(blocks.map(({ value }) => value))])

export const collectionWords = ({ key, blocks }: Keyed & { blocks: readonly Valued[] }): string =>
  searchText([key, ...textsIn(blocks.map(({ value }) => value))])

export const formWords = ({ key, schema }: Keyed & { schema: readonly Keyed[] }): string =>
  searchText([key, ...schema.map((item) => item.key)])

export const submissionWords = ({ fields }: { fields: readonly Valued[] }): string =>
  searchText(textsIn(fields.map(({ value }) => value)))

export const taxonomyWords = ({ key }: Keyed): string => searchText([key])

/** Typed values of taxonomies are found if they are texts or numbers. */
export const contactWords = ({
  addresses,
  taxonomies,
}: {
  addresses: readonly string[] | null
  taxonomies: readonly { fields?: readonly Valued[] | undefined }[]
}): string => {
  const values = taxonomies.flatMap(({ fields = [] }) =>
    fields.map(({ value }) => (typeof value === 'number' ? String(value) : value)),
  )
  return searchText([...(addresses ?? []), ...textsIn(values)])
}

export const mediaWords = ({ name }: { name: string }): string => searchText([name])

export const chatMessageWords = ({ content }: { content: string }): string => searchText([content])

export const audienceWords = ({ key, name }: Keyed & { name: string }): string => searchText([key, name])

export const reactionWords = ({ blocks }: { blocks: readonly Valued[] }): string =>
  searchText(textsIn(blocks.map(({ value }) => value)))

export const publicationWords = ({
  content: { caption, title },
}: {
  content: { caption: string | null; title: string | null }
}): string => searchText([title, caption])
