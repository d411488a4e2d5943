/** Keeps all lines of both sides of `list.txt`: everything but the markers and what they had in common before. */
export const KEEP_BOTH =
  "sed -i -e '/^|||||||/,/^=======/d' -e '/^=======$/d' -e '/^<<<<<<< /d' -e '/^>>>>>>> /d' list.txt";

/** No conflict marker in any file. */
export const NO_MARKERS = "! grep -rqE '^(<<<<<<<|>>>>>>>|=======$)' --exclude-dir=.git .";
