// What was answered.
export const submissions = [] as const
