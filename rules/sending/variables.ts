// What the template of a campaign's step is rendered with.

/**
 * Stands in rendered content for the link that unsubscribes, and is replaced while a message is sent: no token is
 * stored with it. Filters of Liquid leave it as it is.
 */
export const UNSUBSCRIBE_MARK = 'till-unsubscribe-url'

/** `member`: of the audience that it was enrolled by; null without. */
export type Recipient = {
  contact_id: string
  address: string
  variables: Record<string, unknown>
  member: {
    id: string
    audience: { id: string; key: string; name: string }
    fields: Record<string, unknown>
    joined_at: number | null
  } | null
}

type Of = {
  store: { key: string; name: string }
  campaign: { id: string; name: string; variables: Record<string, unknown> }
  step: { variables: Record<string, unknown> }
}

/**
 * `store`, `campaign`, `contact` and `member` (null for a recipient that is no member), then the variables of the
 * campaign, of the step and of the enrollment: later ones replace earlier ones. `unsubscribe_url` is always the mark.
 */
export const messageVariables = (
  { store, campaign, step }: Of,
  { contact_id, address, variables, member }: Recipient,
): Record<string, unknown> => ({
  store: { key: store.key, name: store.name },
  campaign: { id: campaign.id, name: campaign.name },
  contact: { id: contact_id, email: address },
  member,
  ...campaign.variables,
  ...step.variables,
  ...variables,
  unsubscribe_url: UNSUBSCRIBE_MARK,
})

/** The page with one button, for the link in a body. `base`: the address of the API. */
export const manageUrl = (base: string, token: string): string => `${base}/customer/audiences/manage?token=${token}`

/** Takes the POST of mail clients, for the header (RFC 8058). */
export const unsubscribeUrl = (base: string, token: string): string =>
  `${base}/v1/customer/audiences/unsubscribe?token=${token}`
