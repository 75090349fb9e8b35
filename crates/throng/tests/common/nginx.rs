//! nginx from the system's packages: a server that we did not write.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::signal;

/// A running nginx of one process; killed when dropped.
pub(crate) struct Nginx {
    child: Child,
    folder: tempfile::TempDir,
    port: u16,
    secure_port: u16,
}

impl Nginx {
    /// Starts it on a free port of 127.0.0.1, 127.0.0.2 and, where there is one, ::1. `/` is a file of 100 bytes, `/once` closes after each answer,
    /// `/big` is 3 MB, `/missing` is not there; also on the Unix socket [`Nginx::socket`].
    pub(crate) fn start() -> Self {
        Self::start_with(|_| String::new())
    }

    /// Starts it with a second server that speaks TLS, on a port of its own: [`Nginx::secure_url`].
    /// `directives` say what it shows and wants.
    pub(crate) fn start_secure(directives: &str) -> Self {
        Self::start_with(|root| {
            format!(
                "server {{ listen 127.0.0.1:{SECURE_PORT} ssl backlog=4096; root {root};
                     {directives}
                     location /once {{ keepalive_requests 1; alias {root}/index.html; }} }}"
            )
        })
    }

    fn start_with(more: impl Fn(&str) -> String) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (port, secure_port) = (free_port(), free_port());
        let root = folder.path();
        // An nginx started by root reads files as another user.
        fs::set_permissions(root, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("our own folder");
        fs::write(root.join("index.html"), "a".repeat(100)).expect("written");
        fs::write(root.join("big"), "b".repeat(3_000_000)).expect("written");
        let name = root.display().to_string();
        let more = more(&name).replace(SECURE_PORT, &secure_port.to_string());
        let text = configuration(&name, port, &more);
        fs::write(root.join("nginx.conf"), text).expect("written");
        let child = Command::new("nginx")
            .args(["-p", &root.display().to_string(), "-c", "nginx.conf", "-e", "error.log"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nginx is installed (./x test installs it)");
        let nginx = Self { child, folder, port, secure_port };
        nginx.wait_until_it_accepts();
        nginx
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// A URL of the server that speaks TLS.
    pub(crate) fn secure_url(&self, host: &str, path: &str) -> String {
        format!("https://{host}:{}{path}", self.secure_port)
    }

    pub(crate) fn secure_port(&self) -> u16 {
        self.secure_port
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("nginx.sock")
    }

    /// Stops the process as if its machine hung: connections stay open, nothing is answered.
    pub(crate) fn freeze(&self) {
        signal(&self.child, "STOP");
    }

    pub(crate) fn thaw(&self) {
        signal(&self.child, "CONT");
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The requests that nginx logged, as `status address`: its own count. It logs a request after it has
    /// answered, so this first lets it end in order.
    pub(crate) fn end(mut self) -> Vec<String> {
        signal(&self.child, "QUIT");
        self.child.wait().expect("nginx ends");
        let log = fs::read_to_string(self.folder.path().join("access.log")).expect("the log");
        log.lines().map(str::to_owned).collect()
    }

    #[allow(clippy::disallowed_methods, reason = "no run is measured here")]
    fn wait_until_it_accepts(&self) {
        for _ in 0..500 {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("nginx does not accept on port {}", self.port);
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("bound").port()
}

/// Whether this machine has the IPv6 loopback address: some sandboxes have not.
pub(crate) fn has_ipv6() -> bool {
    let addresses = fs::read_to_string("/proc/net/if_inet6").unwrap_or_default();
    addresses.lines().any(|line| line.starts_with("00000000000000000000000000000001 "))
}

fn configuration(root: &str, port: u16, more: &str) -> String {
    let listen_ipv6 = if has_ipv6() { format!("listen [::1]:{port};") } else { String::new() };
    format!(
        "daemon off;
         master_process off;
         pid {root}/nginx.pid;
         worker_rlimit_nofile 10000;
         events {{ worker_connections 4096; }}
         http {{
             log_format status '$status $server_addr';
             access_log {root}/access.log status;
             client_body_temp_path {root}/body;
             proxy_temp_path {root}/proxy;
             fastcgi_temp_path {root}/fastcgi;
             uwsgi_temp_path {root}/uwsgi;
             scgi_temp_path {root}/scgi;
             server {{
                 listen 127.0.0.1:{port} backlog=4096;
                 listen 127.0.0.2:{port};
                 {listen_ipv6}
                 listen unix:{root}/nginx.sock;
                 root {root};
                 location /once {{ keepalive_requests 1; alias {root}/index.html; }}
             }}
             {more}
         }}"
    )
}

/// Stands for the port in what is added to the configuration.
const SECURE_PORT: &str = "SECURE_PORT";
