// The display name of a store: the name in its settings, or its key.
import { nameInMail } from '../mail/mail-page.ts'

export const storeName = ({ key, settings }: { key: string; settings: Record<string, unknown> }): string =>
  typeof settings.name === 'string' && settings.name.trim() !== '' ? settings.name : key

/** The name as e-mails of the installation show it: the key, if the name holds an address. */
export const storeNameInMail = (store: { key: string; settings: Record<string, unknown> }): string =>
  nameInMail([storeName(store)], store.key)
