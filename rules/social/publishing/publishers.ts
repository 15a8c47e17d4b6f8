// The five networks, by type.
import type { NetworkType } from '../networks.ts'
import { networkA } from './network-a.ts'
import { networkB } from './network-b.ts'
import { networkC } from './network-c.ts'
import { networkD } from './network-d.ts'
import { networkE } from './network-e.ts'
import type { Publisher } from './publisher.ts'

export const publishers: Readonly<Record<NetworkType, Publisher>> = {
  network_a_page: networkA,
  network_b_business: networkB,
  network_c_channel: networkC,
  network_d_account: networkD,
  network_e_account: networkE,
}
