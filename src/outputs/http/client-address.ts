/**
 * Whom limits by address count together: an IPv4 address, or the network of 64 bits that an IPv6
 * client has to itself. It is the connection's; no header changes it.
 *
 * @example clientOf('2001:db8::1') // '2001:db8:0:0::/64'
 */
export function clientOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [before = '', after] = address.split('%', 1)[0]!.split('::');
  const left = before === '' ? [] : before.split(':');
  const right = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = after === undefined ? left : [...left, ...zeros, ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
