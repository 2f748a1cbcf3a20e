import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Keys and values as the game writes them: no window border, no vertical sync, the same look on all hosts. */
const VIDEO: Readonly<Record<string, number>> = {
  'setting.fullscreen': 0,
  'setting.nowindowborder': 1,
  'setting.coop_fullscreen': 0,
  'setting.fullscreen_min_on_focus_loss': 0,
  'setting.high_dpi': 0,
  'setting.mat_vsync': 0,
  'setting.r_low_latency': 0,
  'setting.aspectratiomode': 1,
  'setting.msaa_samples': 4,
  'setting.shaderquality': 1,
  'setting.r_texturefilteringquality': 3,
  'setting.videocfg_texture_detail': 2,
  'setting.videocfg_shadow_quality': 2,
  'setting.videocfg_particle_detail': 2,
  'setting.videocfg_ao_detail': 2,
  'setting.videocfg_hdr_detail': -1,
  'setting.videocfg_fsr_detail': 0,
};

/**
 * Makes the game keep its settings in our folder (`USRLOCALCSGO`, as cs-demo-manager does), so that crosshair, HUD and
 * gamma are not those of the signed-in user, and sets the video settings there. Returns the environment that the game
 * needs.
 */
export async function writeOwnConfig(folder: string): Promise<Readonly<Record<string, string>>> {
  const cfg = join(folder, 'cfg');
  await mkdir(cfg, { recursive: true });
  const lines = Object.entries(VIDEO).map(([key, value]) => `\t"${key}"\t\t"${value}"`);
  await writeFile(join(cfg, 'cs2_video.txt'), `"video.cfg"\n{\n${lines.join('\n')}\n}\n`);
  return { USRLOCALCSGO: folder };
}
