/** Words of a variable's name that say: whoever knows the value may do what its owner may. */
const WORDS =
  /^(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIAL|CRED|AUTH|OAUTH|COOKIE|ASKPASS|KEYRING)S?$/;
/** The same where people write two words as one: PGPASSWORD, OPENAI_APIKEY. */
const ENDINGS =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSFILE|CREDENTIAL|ASKPASS|(?:API|ACCESS|PRIVATE|SECRET|SIGNING|DEPLOY)KEY)S?$/;
/** Clouds, forges and agents name everything of theirs alike. */
const OWNERS =
  /^(?:AWS|AZURE|GOOGLE|GCP|GCLOUD|CLOUDSDK|FIREBASE|OCI|ALICLOUD|ALIBABA_CLOUD|IBMCLOUD|DIGITALOCEAN|HCLOUD|LINODE|SCW|CLOUDFLARE|HEROKU|VERCEL|NETLIFY|FLY|GH|GITHUB|GITLAB|BITBUCKET|GITEA|FORGEJO|CODEBERG|SSH_AGENT|GPG_AGENT|GNOME_KEYRING|VSCODE_GIT)_/;
const NAMES: ReadonlySet<string> = new Set(['SSH_AUTH_SOCK', 'KUBECONFIG']);
/** `scheme://user:password@`, also inside a list or behind `jdbc:`, and a password among the parameters of an address. */
const URL_WITH_PASSWORD =
  /:\/\/(?:[^\s/?#@:]*:[^\s/?#@]+@|\S*[?&;](?:password|passwd|pwd|token|secret|api_?key)=[^\s&;])/i;

/** Whether a variable of the environment looks like something that lets its reader act as the user. */
export function isCredential(name: string, value: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/);
  return (
    NAMES.has(name.toUpperCase()) ||
    OWNERS.test(name.toUpperCase()) ||
    words.some((word) => WORDS.test(word) || ENDINGS.test(word)) ||
    URL_WITH_PASSWORD.test(value)
  );
}
