// What a store's mails say.
export const emailTemplates = [] as const
