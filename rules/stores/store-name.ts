// The display name of a store: the name in its settings, or its key.

export const storeName = ({ key, settings }: { key: string; settings: Record<string, unknown> }): string =>
  typeof settings.name === 'string' && settings.name.trim() !== '' ? settings.name : key
