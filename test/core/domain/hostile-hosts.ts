/** Hosts as people write them into URLs, by the reason why the service must not call them. */
export const HOSTILE_HOSTS: Record<string, string> = {
  loopback:
    'localhost LOCALHOST localhost. a.localhost 127.0.0.1 127.1 127.0.1 127.255.255.255 0x7f.1 0x7f000001 2130706433 017700000001 0177.0.0.1 [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]',
  unspecified: '0.0.0.0 0 0x0 [::] 0.1.2.3',
  'private networks':
    '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 0xa.0.0.1 167772161 0xc0a80001 3232235521 192.168.1 [fc00::1] [fd00::1] [fdff:ffff::1] [fe80::1] [fec0::1] [::ffff:10.0.0.1] [::ffff:192.168.0.1] [64:ff9b::10.0.0.1] [64:ff9b:1::1]',
  'carriers and links':
    '100.64.0.1 100.127.255.255 169.254.0.1 169.254.169.254 169.254.170.2 2852039166 0xa9fea9fe 0251.0376.0251.0376 [fe80::a9fe:a9fe] [::ffff:169.254.169.254] [fd00:ec2::254]',
  'machines that ask about themselves':
    '168.63.129.16 2822734096 100.100.100.200 192.0.0.192 metadata.google.internal metadata.internal instance-data.ec2.internal',
  'special purposes':
    '192.0.0.1 192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1 192.88.99.255 198.18.0.1 198.19.255.255 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 [ff02::1] [ff0e::1] [100::1] [2001:db8::1] [2001:0db8:1::1] [2001::1] [2001:2::1] [2001:10::1] [2001:1f::1] [2001:20::1] [2001:1::1] [2001:30::1] [2001:1ff::1] [2002:7f00:1::] [2002:c0a8:1::1] [3fff::1] [3fff:fff::1] [4000::1] [5f00::1] [1::1] [::1:2]',
  'names of networks':
    'home.arpa router printer.local nas.LOCAL db.internal x.home.arpa cluster.svc a.b.svc kubernetes.default.svc fritz.lan pc.lan. ad.corp vault.consul node.dc1.consul wiki.intranet box.private host.localdomain nas.home smtp.mail a.test a.example a.invalid a.onion a.alt com',
  'empty labels': 'example.com.. example..com ..example.com a..b..',
  'other spellings':
    '①②⑦.⓪.⓪.① 127。0。0。1 ｌｏｃａｌｈｏｓｔ lOcAlHoSt %6c%6f%63%61%6c%68%6f%73%74 0x7F.0.0.0x1 00000177.1 0300.0250.1 192.168.0.0x1 0x0a000001 012.1 10.1 172.16.1 0xac100001 2886729729 0xA9FEA9FE 0x64.0x40.0.1 1681915905 0xc6120001 3323068417 [0:0:0:0:0:ffff:a00:1] [::ffff:0:127.0.0.1] [2001:0:7f00:1::] [2002:a00:1::1] [3fff:0abc::1] [fe80:0:0:0::1] [FD12:3456::1] [ff05::1:3] LOCALHOST. Router.LAN 127.0.0.1. 10.0.0.1.',
};
