// Mailboxes: whom a store's mails are from.
export const mailboxes = [] as const
