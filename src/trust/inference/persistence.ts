// Files that make the machine run something later, without anybody calling the tool again.

const places: readonly RegExp[] = [
  /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zprofile|zshenv|zlogin|kshrc|cshrc|tcshrc|login|xinitrc|xprofile|xsession|xsessionrc|inputrc)$/,
  /(?:^|\/)\.config\/(?:fish\/(?:config\.fish|conf\.d\/)|autostart\/|systemd\/user\/|environment\.d\/)/,
  /^\/etc\/(?:profile|bash\.bashrc|zsh|environment|rc\.local|crontab|anacrontab|ld\.so\.preload|inittab|modules|sudoers)/,
  /^\/etc\/(?:profile\.d|cron\.[a-z.]+|init\.d|rc\d?\.d|systemd|xdg\/autostart|update-motd\.d|udev|apt\/apt\.conf\.d|pam\.d)\//,
  /^\/(?:usr\/)?lib\/systemd\//,
  /^\/var\/spool\/(?:cron|at)(?:\/|$)/,
  /(?:^|\/)(?:LaunchAgents|LaunchDaemons|StartupItems)\//,
  /(?:^|\/)\.git\/(?:hooks\/|config$)|(?:^|\/)\.gitconfig$|(?:^|\/)\.husky\//,
  /(?:^|\/)\.ssh\/(?:authorized_keys2?|rc|config|environment)$/,
  /(?:^|\/)(?:sitecustomize|usercustomize)\.py$|\.pth$/,
  /(?:^|\/)\.(?:vimrc|npmrc|pypirc|pythonrc|pythonrc\.py|gdbinit|envrc)$|(?:^|\/)\.config\/pip\/|(?:^|\/)\.vscode\/tasks\.json$/,
  /Start Menu[\\/]Programs[\\/]Startup|CurrentVersion\\Run/i,
]

/** Whether writing this path starts something later. */
export function persistenceOf(path: string): boolean {
  return places.some((place) => place.test(path))
}
