//! The one place with sockets: posts bytes, reads bytes, tries again.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};

use super::error::ProviderError;
use super::registry::Endpoint;

/// Time-outs and retries.
#[derive(Clone)]
pub struct Settings {
    /// The longest time for one attempt, from connecting to the last byte.
    pub timeout: Duration,
    /// When to try again.
    pub retry: RetryPolicy,
    /// Told of every attempt as it ends, so that each is on record before the next begins.
    pub observer: Option<Observer>,
}

/// Is told of each [`Attempt`].
pub type Observer = Arc<dyn Fn(&Attempt) + Send + Sync>;

impl Default for Settings {
    fn default() -> Self {
        Self {
            // Servers under load queue a request for minutes before the first byte.
            timeout: Duration::from_mins(10),
            retry: RetryPolicy::default(),
            observer: None,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("timeout", &self.timeout)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

/// When to try again, and how long to wait first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// The wait after the first failure; it doubles with each further one.
    pub first_wait: Duration,
    /// The longest wait of our own making.
    pub longest_wait: Duration,
    /// The longest wait the server may ask for; if it asks for more, the attempt was the last.
    pub longest_asked: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            longest_asked: Duration::from_mins(2),
        }
    }
}

impl RetryPolicy {
    /// The wait after `failures` failed attempts, or `None` to give up.
    ///
    /// What the server asked for is never undercut. `jitter` in 0..1 spreads clients that failed
    /// together over half of our own wait.
    pub fn wait(&self, failures: u32, asked: Option<Duration>, jitter: f64) -> Option<Duration> {
        if failures >= self.attempts {
            return None;
        }
        if let Some(asked) = asked {
            return (asked <= self.longest_asked).then_some(asked);
        }
        let doubled = self
            .first_wait
            .saturating_mul(1 << failures.saturating_sub(1).min(20));
        let full = doubled.min(self.longest_wait);
        Some(full.mul_f64(0.5 + 0.5 * jitter.clamp(0.0, 1.0)))
    }
}

/// One attempt, as told to the observer.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Counted from 1.
    pub number: u32,
    /// HTTP status, when there was a response.
    pub status: Option<u16>,
    /// How long it took.
    pub elapsed: Duration,
    /// Why it failed; `None` when it succeeded.
    pub error: Option<ProviderError>,
    /// The wait before the next attempt; `None` when this was the last.
    pub next_in: Option<Duration>,
}

/// A connection pool for one endpoint.
#[derive(Clone, Debug)]
pub struct Transport {
    client: reqwest::Client,
    headers: HeaderMap,
    endpoint: Endpoint,
    settings: Settings,
}

impl Transport {
    /// Prepares to talk to a resolved endpoint. Nothing is sent.
    pub fn new(endpoint: Endpoint, settings: Settings) -> Result<Self, TransportError> {
        // The backend without cmake or assembler tools; the first installation wins, any other
        // provider installed by the program serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .timeout(settings.timeout)
            .connect_timeout(settings.timeout.min(CONNECT))
            // A redirect would carry the conversation, and perhaps the key, to another host.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("space-agent/", env!("CARGO_PKG_VERSION")));
        if endpoint.is_plain_http() {
            // Loading the system's certificates fails on a machine that has none, which is no
            // reason not to reach a model on the same machine.
            builder = builder.tls_certs_only([]);
        }
        if endpoint.is_loopback() {
            builder = builder.no_proxy();
        }
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = &endpoint.key {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
                .map_err(|_| TransportError::KeyNotHeader)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Self {
            client: builder.build().map_err(|error| TransportError::Client {
                message: chain(&error),
            })?,
            headers,
            endpoint,
            settings,
        })
    }

    /// The endpoint it talks to.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Posts `body` to `path` below the base URL, as often as the retry policy says.
    ///
    /// `read` gives the bytes their meaning, so that an error inside a successful response is
    /// retried like any other.
    pub async fn exchange<T>(
        &self,
        path: &str,
        body: Vec<u8>,
        read: impl Fn(&RawResponse) -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        let url = format!("{}{path}", self.endpoint.base_url);
        let body = bytes::Bytes::from(body);
        let mut number = 0;
        loop {
            number += 1;
            let began = Instant::now();
            let received = self.attempt(&url, body.clone()).await;
            let status = received.as_ref().ok().map(|response| response.status);
            let result = received
                .and_then(|response| read(&response))
                .map_err(|error| self.redacted(error));
            let next_in = match &result {
                Err(error) if error.retryable() => {
                    let retry = &self.settings.retry;
                    retry.wait(number, error.retry_after(), jitter())
                }
                _ => None,
            };
            if let Some(observer) = &self.settings.observer {
                observer(&Attempt {
                    number,
                    status,
                    elapsed: began.elapsed(),
                    error: result.as_ref().err().cloned(),
                    next_in,
                });
            }
            match next_in {
                None => return result,
                Some(wait) => tokio::time::sleep(wait).await,
            }
        }
    }

    async fn attempt(&self, url: &str, body: bytes::Bytes) -> Result<RawResponse, ProviderError> {
        let request = self
            .client
            .post(url)
            .headers(self.headers.clone())
            .body(body);
        let mut response = request.send().await.map_err(|error| self.failure(&error))?;
        let status = response.status().as_u16();
        let retry_after = read_retry_after(response.headers(), SystemTime::now());
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| self.failure(&error))?
        {
            if body.len() + chunk.len() > LARGEST_BODY {
                return Err(ProviderError::Unreadable {
                    message: format!("the body is larger than {LARGEST_BODY} bytes"),
                });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(RawResponse {
            status,
            retry_after,
            body,
        })
    }

    fn failure(&self, error: &reqwest::Error) -> ProviderError {
        // Not being able to connect in time is a connection error: nothing was sent.
        if error.is_timeout() && !error.is_connect() {
            return ProviderError::TimedOut {
                after: self.settings.timeout,
            };
        }
        ProviderError::Connection {
            message: cause(error, self.settings.timeout.min(CONNECT)),
        }
    }

    fn redacted(&self, mut error: ProviderError) -> ProviderError {
        if let (Some(key), Some(message)) = (&self.endpoint.key, error.message_mut()) {
            *message = key.redact(message);
        }
        error
    }
}

/// The longest time for a connection to be there.
const CONNECT: Duration = Duration::from_secs(15);

/// A reply this large is no reply: it bounds memory against a broken server.
const LARGEST_BODY: usize = 64 << 20;

/// A response whose meaning is not known yet.
#[derive(Clone, Debug)]
pub struct RawResponse {
    /// HTTP status.
    pub status: u16,
    /// How long the server asks to wait before the next attempt.
    pub retry_after: Option<Duration>,
    /// The whole body.
    pub body: Vec<u8>,
}

/// Why no transport could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The key holds characters that cannot be in a header.
    #[error("the key holds characters that are not allowed in an HTTP header")]
    KeyNotHeader,
    /// The HTTP client could not be set up.
    #[error("the HTTP client cannot be set up: {message}")]
    Client {
        /// What the library says.
        message: String,
    },
}

fn read_retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok();
    if let Some(millis) = text("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    let after = text(RETRY_AFTER.as_str())?;
    if let Some(seconds) = number(after) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = httpdate::parse_http_date(after).ok()?;
    Some(at.duration_since(now).unwrap_or(Duration::ZERO))
}

/// What went wrong, and with whom: the innermost cause first, because a line has an end, and of the
/// address only what names the server.
fn cause(error: &reqwest::Error, connect: Duration) -> String {
    let mut root: &dyn std::error::Error = error;
    while let Some(source) = root.source() {
        root = source;
    }
    let said = if error.is_timeout() {
        format!("no connection within {} s", connect.as_secs_f64())
    } else {
        let said = root.to_string();
        let end = said.rfind(" (os error ").unwrap_or(said.len());
        said[..end].to_owned()
    };
    let server = error.url().and_then(|url| {
        let host = url.host_str()?;
        let port = url.port().map(|port| format!(":{port}"));
        Some(format!(" ({host}{})", port.unwrap_or_default()))
    });
    said + &server.unwrap_or_default()
}

/// The causes of an error in one line; the libraries hide the interesting one at the end.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// The clock's low digits are random enough to keep clients apart.
fn jitter() -> f64 {
    let nanos = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    f64::from(nanos % 1_000_000) / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        read_retry_after(&headers, now)
    }

    #[test]
    fn retry_after_comes_in_three_forms() {
        let seconds = Duration::from_secs;
        assert_eq!(asked("retry-after", "7"), Some(seconds(7)));
        assert_eq!(
            asked("retry-after", "0.5"),
            Some(Duration::from_millis(500))
        );
        assert_eq!(
            asked("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        assert_eq!(
            asked("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"),
            Some(Duration::from_mins(1))
        );
        assert_eq!(
            asked("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"),
            Some(Duration::ZERO)
        );
        assert_eq!(asked("retry-after", "soon"), None);
        assert_eq!(asked("retry-after", "-1"), None);
        assert_eq!(asked("retry-after", "inf"), None);
    }

    #[test]
    fn waits_double_and_end() {
        let retry = RetryPolicy::default();
        let millis = |ms| Some(Duration::from_millis(ms));
        assert_eq!(retry.wait(1, None, 1.0), millis(500));
        assert_eq!(retry.wait(3, None, 1.0), millis(2_000));
        assert_eq!(retry.wait(3, None, 0.0), millis(1_000));
        assert_eq!(retry.wait(4, None, 1.0), None);
        assert_eq!(retry.wait(1, millis(90), 0.0), millis(90));
        assert_eq!(retry.wait(1, Some(Duration::from_hours(1)), 0.0), None);
        let patient = RetryPolicy {
            attempts: u32::MAX,
            ..retry
        };
        assert_eq!(patient.wait(80, None, 1.0), Some(retry.longest_wait));
    }
}
