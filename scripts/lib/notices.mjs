import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE_FOLDER = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** The folders of the packages whose code ended up in the bundle. */
function bundledPackages(files) {
  const modules = files.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
  const folders = modules.map((module) => PACKAGE_FOLDER.exec(module)?.[1]).filter((folder) => folder != null);
  return [...new Set(folders)].sort((a, b) => a.localeCompare(b, 'en'));
}

function notice(folder) {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licence = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (licence == null) throw new Error(`${about.name} is bundled but brings no licence file`);
  return `${about.name} ${about.version} (${about.license})\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`;
}

/** The licences of everything in the bundle that others wrote. */
export function thirdPartyNotices(files) {
  const notices = bundledPackages(files).map(notice);
  const head = 'This package contains the following software, each under its own licence.\n';
  return [head, ...notices].join(`\n${'-'.repeat(72)}\n\n`);
}
