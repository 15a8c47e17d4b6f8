// Build hooks: addresses that build and publish a site.
export const buildHooks = [] as const
