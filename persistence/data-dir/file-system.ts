/** File systems that are fit for a data directory, and others that are not, by the numbers of statfs(2). */
import { statfsSync } from 'node:fs';

export const LOCAL: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x2fc12fc1, 'zfs'],
  [0xf2f52010, 'f2fs'],
]);
/** Gone with the machine or the container, or without the locks and syncs that SQLite needs. */
export const UNFIT: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
  [0x794c7630, 'overlay'],
  [0x6969, 'nfs'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb'],
  [0x00c36400, 'ceph'],
  [0x01021997, '9p'],
  [0x65735546, 'fuse'],
]);

/** One sentence if `path` lies on an unfit one. */
export function fileSystemRisks(path: string): string[] {
  const name = UNFIT.get(statfsSync(path).type);
  return name === undefined
    ? []
    : [`TOTE_DATA_DIR: ${path} is on ${name}, where acknowledged orders may be lost`];
}
