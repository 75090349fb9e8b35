//! Certificates for one test, made with the `openssl` command.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A folder with certificates and keys:
///
/// - `ca.pem` has issued `server.pem` (for `tls.test` and 127.0.0.1), `expired.pem` (for the same,
///   in 2020) and `client.pem`, each with a `.key`;
/// - `other.pem` has issued none of them, and `stranger.pem` is a client's issued by it.
pub(crate) struct Certificates {
    folder: tempfile::TempDir,
}

impl Certificates {
    pub(crate) fn make() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let made = Self { folder };
        // An nginx started by root reads files as another user.
        fs::set_permissions(made.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("our own folder");
        for issuer in ["ca", "other"] {
            made.openssl(&format!(
                "req -x509 {KEY} -keyout {issuer}.key -out {issuer}.pem -subj /CN={issuer} -days 2"
            ));
        }
        made.issue("server", "ca", "-startdate 20200101000000Z -days 9999");
        made.issue("expired", "ca", "-startdate 20200101000000Z -enddate 20200102000000Z");
        made.issue("client", "ca", "-days 2");
        made.issue("stranger", "other", "-days 2");
        made
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The path of one file.
    pub(crate) fn file(&self, name: &str) -> String {
        self.path().join(name).display().to_string()
    }

    fn issue(&self, name: &str, issuer: &str, dates: &str) {
        let configuration = format!(
            "[ca]\ndefault_ca = it\n[it]\ndatabase = index\nnew_certs_dir = .\nrand_serial = yes\n\
             default_md = sha256\npolicy = any\ncopy_extensions = copy\nunique_subject = no\n\
             certificate = {issuer}.pem\nprivate_key = {issuer}.key\n[any]\ncommonName = supplied\n"
        );
        fs::write(self.path().join("ca.conf"), configuration).expect("written");
        fs::write(self.path().join("index"), "").expect("written");
        self.openssl(&format!(
            "req {KEY} -keyout {name}.key -out {name}.csr -subj /CN={name} \
             -addext subjectAltName=DNS:tls.test,IP:127.0.0.1"
        ));
        self.openssl(&format!(
            "ca -batch -notext -config ca.conf {dates} -in {name}.csr -out {name}.pem"
        ));
    }

    fn openssl(&self, arguments: &str) {
        let output = Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()
            .expect("openssl is installed (./x test installs it)");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "openssl {arguments}: {said}");
    }
}

const KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
