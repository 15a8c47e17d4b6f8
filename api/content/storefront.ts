// Content as everybody may see it.
export const storefrontContent = [] as const
