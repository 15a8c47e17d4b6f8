// Links between pages, as Mantine's components draw them.
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export type Search = Record<string, string | string[] | undefined>
type To = {
  to: string
  search?: Search | undefined
  children: ReactNode
  title?: string
  dir?: string
  onClick?: () => void
}

/** `hash`: a part of the page. */
export const PageLink = ({ to, search, hash, ...rest }: AnchorProps & To & { hash?: string }) => (
  <Anchor
    {...rest}
    renderRoot={(props) => <Link to={to} search={search ?? {}} {...(hash ? { hash } : {})} {...props} />}
  />
)

export const ButtonLink = ({ to, search, ...rest }: ButtonProps & To) => (
  <Button {...rest} renderRoot={(props) => <Link to={to} search={search ?? {}} {...props} />} />
)

/** The part of Overview that lists what a store or business lacks. */
export const neededId = 'needed'
export const MissingLink = ({ tenant: { surface, id } }: { tenant: { surface: string; id: string } }) => (
  <PageLink to={`/${surface}/${id}/overview`} hash={neededId} size="sm">
    See what is missing
  </PageLink>
)

/** An address outside of the console. It learns nothing of where it was followed from. */
export const OutLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor href={href} target="_blank" rel="noreferrer noopener" size="sm">
    {children}
  </Anchor>
)

/** Filters, sort order and page of a list are in its address, as the API names them. */
export const parseSearch = (text: string): Search => {
  const found: Search = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const before = found[name]
    found[name] = before === undefined ? value : [...[before].flat(), value]
  }
  return found
}

export const stringifySearch = (search: Record<string, unknown>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null && one !== '') params.append(name, String(one))
  const text = params.toString()
  return text ? `?${text}` : ''
}
