// Maintenance of the installation.
export const platformScripts = [] as const
