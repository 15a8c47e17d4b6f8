// Values of the installation.
export const platformData = [] as const
