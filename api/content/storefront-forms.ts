// Forms as visitors fill them in.
export const storefrontForms = [] as const
