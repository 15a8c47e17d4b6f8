// Taxonomies as everybody may see them.
export const storefrontTaxonomies = [] as const
