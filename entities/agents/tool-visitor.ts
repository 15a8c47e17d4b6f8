// The visitor for whom a tool of an agent is run.

/** `contact_id`: null in a chat that an operator began. `verified`: the visitor is signed in. */
export type ToolVisitor = {
  tenant_id: string
  contact_id: string | null
  verified: boolean
  turn_id: string
  zone: string
  cart_url: string | null
}
