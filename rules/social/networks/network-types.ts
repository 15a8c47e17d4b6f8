// The types of connections, each with the letter of its network. A new network begins with its line here.
import { z } from 'zod'

/** The letter in the names of the settings of a network's app: `SOCIAL_A_CLIENT_ID`. */
export const networkLetters = {
  network_a_page: 'A',
  network_b_business: 'B',
  network_c_channel: 'C',
  network_d_account: 'D',
  network_e_account: 'E',
} as const
export type NetworkType = keyof typeof networkLetters

/** The types in the order in which the API lists them. */
export const networkTypes = Object.keys(networkLetters) as [NetworkType, ...NetworkType[]]
export const NetworkType = z.enum(networkTypes)
