// A demo store to try things on, made once per folder; a later start finds it again.

/** The settings of the stack, and where it stands. */
export type SeedStack = Record<string, string> & { dir: string; api: string; mail: string; stripe: string }
export type Seeded = { store_id: string | null; api_token: string | null; publishable_key: string | null }

export async function seed(_stack: SeedStack): Promise<Seeded> {
  return { store_id: null, api_token: null, publishable_key: null }
}
