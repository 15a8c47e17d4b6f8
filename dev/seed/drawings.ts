// The pictures of the demo store, as drawings: each product and service on a table in the light of a window, and the
// covers of its posts.

const shade = (id: string, from: string, to: string, direction = 'x2="0" y2="1"') =>
  `<linearGradient id="${id}" ${direction}><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`

/** What a drawing stands on: a wall, a table and a soft shadow. `width` of the shadow. */
function onTable(wall: string, table: string, width: number, colours: string, thing: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 480" width="720" height="720"><defs>
${shade('wall', '#ffffff', wall)}${shade('light', '#ffffff', '#ffffff00', 'x2="1" y2="1"')}${colours}
<filter id="soft" x="-50%" y="-200%" width="200%" height="500%"><feGaussianBlur stdDeviation="9"/></filter></defs>
<rect width="480" height="480" fill="${wall}"/><rect width="480" height="480" fill="url(#wall)" opacity=".55"/>
<path d="M60 0h90l210 480H210z" fill="url(#light)" opacity=".35"/><rect y="372" width="480" height="108" fill="${table}"/>
<ellipse cx="240" cy="396" rx="${width}" ry="14" fill="#2b2118" opacity=".4" filter="url(#soft)"/>${thing}</svg>`
}

const wood = shade('wood', '#d9a86a', '#b27c41', 'x2="1" y2="0"')
const leg = (x1: number, x2: number, top = 236) => `<path d="M${x1} ${top}h18L${x2 + 13} 394h-13z" fill="url(#wood)"/>`

const towel = () =>
  onTable(
    '#dfe7e4',
    '#c9d3cf',
    0,
    shade('cloth', '#fbf7ee', '#e6dccb', 'x2="1" y2="1"'),
    `<path d="M96 92h288" stroke="#8a6a45" stroke-width="9" stroke-linecap="round"/><path d="M150 88h180v262q-22 10-45 2t-45 4-45-4-45-2z" fill="url(#cloth)"/>
<path d="M150 300q22-8 45-2t45 4 45-4 45-2v14q-22 0-45 4t-45-4-45 4-45 0zM150 272q22-6 45-2t45 4 45-4 45-2v6q-22 0-45 4t-45-4-45 4-45 0z" fill="#3f6d7f"/>
<path d="M180 92v252M300 92v256" stroke="#cdbfa8" stroke-width="2" opacity=".6"/><path d="M172 74h14v40h-14zM294 74h14v40h-14z" fill="#b27c41"/>`,
  )

const stool = () =>
  onTable(
    '#e9e2d6',
    '#cdbda4',
    130,
    wood,
    `${leg(150, 122)}${leg(231, 233)}${leg(312, 345)}<path d="M134 312h212v13H134z" fill="#a06d38"/>
<rect x="116" y="204" width="248" height="36" rx="16" fill="url(#wood)"/><path d="M134 217q100-14 212 0M134 228q106-10 212 0" stroke="#8f5f2e" stroke-width="2" fill="none" opacity=".45"/>`,
  )

const shampoo = () =>
  onTable(
    '#dde8dd',
    '#bccdbd',
    78,
    shade('glass', '#7c4a22', '#b9793d', 'x2="1" y2="0"'),
    `<path d="M224 84h58q14 0 14 12v4h-40v22h-32z" fill="#3a3a38"/><rect x="216" y="120" width="48" height="26" rx="4" fill="#4a4a47"/>
<path d="M188 396q-10 0-10-12V206q0-48 42-54h40q42 6 42 54v178q0 12-10 12z" fill="url(#glass)"/><path d="M196 220q2-40 26-50v216h-16q-10 0-10-10z" fill="#fff" opacity=".18"/>
<rect x="178" y="248" width="124" height="92" fill="#f6f1e4"/><path d="M240 264q28 22 0 60-28-38 0-60zM240 268v56" fill="#7fa06f" stroke="#4f7346" stroke-width="3"/>`,
  )

const candles = () =>
  onTable(
    '#4d4640',
    '#352f2b',
    120,
    `${shade('wax', '#f1c975', '#d99f3e', 'x2="1" y2="0"')}<radialGradient id="glow"><stop offset="0" stop-color="#ffe9a8" stop-opacity=".9"/><stop offset="1" stop-color="#ffcf6b" stop-opacity="0"/></radialGradient>`,
    [
      [150, 210],
      [258, 150],
    ]
      .map(
        ([x = 0, y = 0]) =>
          `<circle cx="${x + 36}" cy="${y - 34}" r="104" fill="url(#glow)"/><rect x="${x}" y="${y}" width="72" height="${396 - y}" rx="8" fill="url(#wax)"/><ellipse cx="${x + 36}" cy="${y + 4}" rx="36" ry="9" fill="#ffe2a0"/>
<path d="M${x + 36} ${y}v-16" stroke="#3a2a18" stroke-width="4"/><path d="M${x + 36} ${y - 66}q22 30 0 54-22-24 0-54z" fill="#ffd15c"/><path d="M${x + 36} ${y - 44}q10 16 0 30-10-14 0-30z" fill="#fff6d8"/>`,
      )
      .join(''),
  )

const mug = () =>
  onTable(
    '#e8ddd3',
    '#cbb8a6',
    118,
    shade('clay', '#8fa38d', '#5d7361', 'x2="1" y2="0"'),
    `<path d="M318 232q72-6 66 58-6 54-76 50" fill="none" stroke="#5d7361" stroke-width="22"/><path d="M138 190h196l-10 184q-2 22-26 22H174q-24 0-26-22z" fill="url(#clay)"/>
<ellipse cx="236" cy="190" rx="98" ry="20" fill="#46574a"/><ellipse cx="236" cy="194" rx="86" ry="15" fill="#6b4327"/><path d="M146 330q90 22 182 0l-4 44q-2 22-26 22H174q-24 0-26-22z" fill="#d9cbb8"/>
${[164, 190, 214, 250, 282, 306].map((x, n) => `<circle cx="${x}" cy="${228 + ((n * 37) % 80)}" r="3" fill="#3c4a3f" opacity=".6"/>`).join('')}
<path d="M200 160q-16-24 0-44t0-40M250 160q-16-24 0-44t0-40" stroke="#fff" stroke-width="7" fill="none" opacity=".7" stroke-linecap="round"/>`,
  )

const blanket = () =>
  onTable(
    '#e3e0e8',
    '#c5bfcf',
    160,
    '',
    ['#a8483c', '#c9694f', '#7f3a3a']
      .map(
        (colour, n) =>
          `<path d="M92 ${330 - n * 62}q0-30 30-30h236q32 0 32 32t-32 32H122q-30 0-30-34z" fill="${colour}"/><path d="M112 ${318 - n * 62}h268M112 ${332 - n * 62}h268" stroke="#fff" stroke-width="2" opacity=".25"/>`,
      )
      .join('') +
      Array.from({ length: 9 }, (_, n) => `<path d="M${96 + n * 7} 362v26" stroke="#a8483c" stroke-width="3"/>`).join(
        '',
      ) +
      '<path d="M200 176h40v188h-40z" fill="#efe3cf" opacity=".9"/>',
  )

const board = () =>
  onTable(
    '#e2e9ea',
    '#c4d0d2',
    150,
    `${wood}<radialGradient id="lemon" cx=".35" cy=".3"><stop offset="0" stop-color="#ffe98a"/><stop offset="1" stop-color="#eab92d"/></radialGradient>`,
    `<path d="M190 96h100q20 0 20 20v20q46 6 46 52v180q0 28-28 28H152q-28 0-28-28V188q0-46 46-52v-20q0-20 20-20z" fill="url(#wood)"/><circle cx="240" cy="124" r="13" fill="#e2e9ea"/>
<path d="M150 200q90 30 180 0M150 262q90-26 180 4M150 330q90 22 180-4" stroke="#8f5f2e" stroke-width="2" fill="none" opacity=".4"/>
<path d="M196 300q8-36 46-36t48 34q-10 40-48 40t-46-38z" fill="url(#lemon)"/><path d="M262 340a42 42 0 0 1 84 0z" fill="#f5d04b"/><path d="M272 338a32 32 0 0 1 64 0z" fill="#fff3b8"/><path d="M304 338v-30M304 338l-22-20M304 338l22-20" stroke="#f5d04b" stroke-width="3"/>`,
  )

const plant = () =>
  onTable(
    '#e6ece0',
    '#cdd6c2',
    96,
    shade('pot', '#cf7d55', '#a3552f', 'x2="1" y2="0"'),
    `${[
      [240, 110, 0],
      [186, 150, -28],
      [294, 150, 28],
      [150, 204, -56],
      [330, 204, 56],
    ]
      .map(
        ([x = 0, y = 0, turn = 0], n) =>
          `<path d="M240 290Q${(240 + x) / 2} 220 ${x} ${y + 70}" stroke="#4c6b42" stroke-width="6" fill="none"/><g transform="rotate(${turn} ${x} ${y + 40})"><path d="M${x} ${y - 30}q44 50 0 110-44-60 0-110z" fill="${n % 2 ? '#6f9560' : '#557a4a'}"/><path d="M${x} ${y - 20}v92" stroke="#3d5c35" stroke-width="3"/></g>`,
      )
      .join('')}<path d="M164 288h152v34H164z" fill="#b5653d"/><path d="M174 322h132l-14 74H188z" fill="url(#pot)"/>`,
  )

const lamp = () =>
  onTable(
    '#39454f',
    '#2b343c',
    0,
    `${shade('beam', '#ffe7a6', '#ffe7a600')}${shade('shade', '#e4574c', '#b5362f', 'x2="1" y2="0"')}`,
    '<path d="M240 0v120" stroke="#14181b" stroke-width="6"/><path d="M152 232 60 480h360l-92-248z" fill="url(#beam)" opacity=".75"/><circle cx="240" cy="232" r="30" fill="#fff3c9"/><path d="M222 116h36l6 26q72 22 76 90H140q4-68 76-90z" fill="url(#shade)"/><ellipse cx="240" cy="232" rx="100" ry="12" fill="#8f2a24"/><path d="M168 214q10-44 54-60" stroke="#fff" stroke-width="6" fill="none" opacity=".35" stroke-linecap="round"/>',
  )

const giftCard = () =>
  onTable(
    '#f0e4e0',
    '#dcc9c2',
    140,
    shade('card', '#35535f', '#20363f', 'x2="1" y2="1"'),
    `<g transform="rotate(-8 240 280)"><rect x="92" y="190" width="296" height="186" rx="18" fill="url(#card)"/><path d="M196 190h34v186h-34zM92 262h296v30H92z" fill="#e0a44a"/>
<path d="M213 262q-70-2-64-44t64 44zM213 262q70-2 64-44t-64 44z" fill="#f2bd66"/><circle cx="213" cy="264" r="14" fill="#c98a30"/></g>`,
  )

const haircut = () =>
  onTable(
    '#dfe5ea',
    '#c0cad3',
    120,
    shade('steel', '#f3f6f8', '#97a4af', 'x2="1" y2="0"'),
    `<g transform="rotate(18 240 250)"><path d="M214 330 268 92q8 2 10 14l-34 236z" fill="url(#steel)"/><path d="M266 330 212 92q-8 2-10 14l34 236z" fill="#b9c4cd"/><circle cx="240" cy="268" r="9" fill="#5f6d78"/>
<circle cx="206" cy="362" r="32" fill="none" stroke="#2f3b45" stroke-width="15"/><circle cx="274" cy="362" r="32" fill="none" stroke="#2f3b45" stroke-width="15"/></g>
<g transform="rotate(-14 130 300)"><rect x="104" y="176" width="24" height="212" rx="6" fill="#7a4b2a"/>${Array.from({ length: 17 }, (_, n) => `<rect x="126" y="${182 + n * 12}" width="40" height="5" fill="#7a4b2a"/>`).join('')}</g>`,
  )

const workshop = () =>
  onTable(
    '#ebe3d2',
    '#cbb793',
    170,
    wood,
    `<rect x="70" y="330" width="340" height="66" rx="8" fill="url(#wood)"/><path d="M90 352q150-16 300 0M90 374q150 12 300 0" stroke="#8f5f2e" stroke-width="2" fill="none" opacity=".5"/>
<path d="M110 330q0-16 10-20v-78q0-10 10-10h60q10 0 10 10v78q10 4 10 20z" fill="#d7dfe0"/><path d="M120 268h80v44h-80z" fill="#f3ead4"/><path d="M134 222h52v-16h-52z" fill="#46525a"/><path d="M160 276q16 14 0 32-16-18 0-32z" fill="#c58b3a"/>
<g transform="rotate(24 310 270)"><rect x="298" y="130" width="26" height="112" rx="12" fill="#8a4f2c"/><rect x="284" y="240" width="54" height="26" fill="#9aa5ab"/><path d="M284 266h54l-6 56q-21 12-42 0z" fill="#ead9b0"/></g>`,
  )

/** A sun over hills on a sky of this colour: the cover of a post. */
const hills = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" width="1200" height="630"><defs>${shade('sky', colour, '#ffffff')}</defs><rect width="1200" height="630" fill="url(#sky)"/>
<circle cx="900" cy="200" r="90" fill="#fff" opacity=".8"/><path d="M0 470q150-130 330-40t330-20 330-30 210 60v190H0z" fill="${colour}" opacity=".65"/><path d="M0 540q200-90 420-30t400-40 380 50v110H0z" fill="${colour}"/></svg>`

/** Drawings by the name of their file. */
export const drawings: Readonly<Record<string, () => string>> = {
  'tea-towel': towel,
  'oak-stool': stool,
  shampoo,
  'beeswax-candles': candles,
  'stoneware-mug': mug,
  'wool-blanket': blanket,
  'serving-board': board,
  'potted-laurel': plant,
  'enamel-lamp': lamp,
  'gift-card': giftCard,
  haircut,
  'oiling-workshop': workshop,
  'linen-that-lasts': () => hills('#7d9a7a'),
  'a-stool-from-one-board': () => hills('#a9814f'),
  'oil-it-once-a-year': () => hills('#5c6f82'),
}
