// The simulated networks by their letters. A letter of the product without a network does not compile.
import type { Network } from '../network.ts'
import type { Letter } from '../state.ts'
import { networkA } from './network-a.ts'
import { networkB } from './network-b.ts'
import { networkC } from './network-c.ts'
import { networkD } from './network-d.ts'
import { networkE } from './network-e.ts'

const byLetter: Readonly<Record<Letter, Network>> = {
  a: networkA,
  b: networkB,
  c: networkC,
  d: networkD,
  e: networkE,
}
export const networks: readonly Network[] = Object.values(byLetter)

const byHost = new Map(networks.flatMap((network) => network.hosts.map((host) => [host, network] as const)))
export const networkOf = (host: string): Network | undefined => byHost.get(host)
