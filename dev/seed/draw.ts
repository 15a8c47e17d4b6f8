// Draws pictures of the demo store as JPEG files into a folder: `node dev/seed/draw.ts FOLDER NAME…`. A process of its
// own, because code that is loaded beside the seed may have blocked the loader of drawings (activities/content).
import fs from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { drawings } from './drawings.ts'

const [folder = '', ...names] = process.argv.slice(2)
for (const name of names) {
  const drawing = drawings[name]
  if (!drawing) throw new Error(`There is no drawing ${name}.`)
  await fs.writeFile(
    path.join(folder, `${name}.jpg`),
    await sharp(Buffer.from(drawing())).jpeg({ quality: 86 }).toBuffer(),
  )
}
