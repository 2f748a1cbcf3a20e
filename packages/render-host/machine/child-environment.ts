/** The variables that child programs get, in upper case: paths, the language, the desktop and the GPU. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'OS', 'COMPUTERNAME', 'USERNAME', 'USERDOMAIN'],
  ...['USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'ALLUSERSPROFILE', 'PUBLIC'],
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'COMMONPROGRAMFILES', 'COMMONPROGRAMFILES(X86)'],
  ...['NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE', 'SESSIONNAME', 'LD_LIBRARY_PATH'],
  ...['DISPLAY', 'XAUTHORITY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'PULSE_SERVER', 'PULSE_SINK'],
  ...['SDL_VIDEODRIVER', 'SDL_AUDIODRIVER', 'VK_ICD_FILENAMES', 'VK_DRIVER_FILES', 'VK_LAYER_PATH', 'DRI_PRIME'],
  ...['LIBVA_DRIVER_NAME', 'LIBVA_DRIVERS_PATH', 'CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER'],
  ...['NVIDIA_VISIBLE_DEVICES', 'NVIDIA_DRIVER_CAPABILITIES', '__NV_PRIME_RENDER_OFFLOAD', '__GLX_VENDOR_LIBRARY_NAME'],
]);
const ALLOWED_BEGINNINGS = /^(LC|XDG)_/;

/**
 * Returns the environment for a program that reads untrusted data (ffmpeg, the game): only the listed variables, so
 * neither the host's token nor any other secret.
 */
export function childEnvironment(own: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => ALLOWED.has(name.toUpperCase()) || ALLOWED_BEGINNINGS.test(name)),
  );
}

/**
 * Returns the environment for a Node process or thread of ours: the cache of compiled code. Windows starts no process
 * without SystemRoot.
 */
export function bareEnvironment(
  { SystemRoot, NODE_COMPILE_CACHE }: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return { ...(SystemRoot !== undefined && { SystemRoot }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
