/** Classes that are called like their item, which has neither prefix nor capital letters. */
const CALLED_LIKE_ITEMS = [
  ...['CAK47', 'CC4', 'CDEagle', 'CFlashbang', 'CHEGrenade', 'CKnife', 'CSmokeGrenade'],
  ...['CWeaponAWP', 'CWeaponAug', 'CWeaponBizon', 'CWeaponCZ75a', 'CWeaponElite', 'CWeaponFamas', 'CWeaponFiveSeven'],
  ...['CWeaponG3SG1', 'CWeaponGalilAR', 'CWeaponGlock', 'CWeaponHKP2000', 'CWeaponM249', 'CWeaponM4A1'],
  ...['CWeaponMAC10', 'CWeaponMP5SD', 'CWeaponMP7', 'CWeaponMP9', 'CWeaponMag7', 'CWeaponNOVA', 'CWeaponNegev'],
  ...['CWeaponP250', 'CWeaponP90', 'CWeaponRevolver', 'CWeaponSCAR20', 'CWeaponSG556', 'CWeaponSSG08'],
  ...['CWeaponSawedoff', 'CWeaponTaser', 'CWeaponTec9', 'CWeaponUMP45', 'CWeaponXM1014'],
];

/** The game's names of weapons and items, without `weapon_`, by the class of their entity. */
export const ITEM_OF_CLASS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(CALLED_LIKE_ITEMS.map((name) => [name, name.replace(/^C(Weapon)?/, '').toLowerCase()])),
  CDecoyGrenade: 'decoy',
  CIncendiaryGrenade: 'incgrenade',
  CMolotovGrenade: 'molotov',
  CWeaponM4A1Silencer: 'm4a1_silencer',
  CWeaponUSPSilencer: 'usp_silencer',
};

/** The kinds of flying grenades, by the class of their entity. */
export const FLIGHT_OF_CLASS = {
  CSmokeGrenadeProjectile: 'smokegrenade',
  CFlashbangProjectile: 'flashbang',
  CHEGrenadeProjectile: 'hegrenade',
  CMolotovProjectile: 'molotov',
  CDecoyProjectile: 'decoy',
} as const;
