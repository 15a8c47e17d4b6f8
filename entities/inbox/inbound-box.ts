// A mailbox, as far as the mail that came into it is judged by it.

/** `account_id`: the account that created the store, for its turns. */
export type InboundBox = { id: string; tenant_id: string; account_id: string; email: string; reply_to: string | null }
