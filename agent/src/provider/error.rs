use std::time::Duration;

use super::pairing::PairingError;

/// Why there is no reply.
///
/// The classes are what a caller acts on; the text is the server's own, without secrets.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProviderError {
    /// The request is malformed and was not sent.
    #[error("the request was not sent: {0}")]
    Unsendable(#[from] PairingError),
    /// The key is missing, wrong or not entitled (401, 403).
    #[error("the provider refused the key (HTTP {status}): {message}")]
    Key {
        /// HTTP status.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// Too many requests (429).
    #[error("the provider's rate limit is reached: {message}")]
    RateLimited {
        /// How long the server asked to wait.
        retry_after: Option<Duration>,
        /// The server's words.
        message: String,
    },
    /// The account has no money or quota left; waiting does not help.
    #[error("the provider's quota is used up: {message}")]
    Quota {
        /// The server's words.
        message: String,
    },
    /// The conversation is longer than the model's window.
    #[error("the conversation does not fit the model's window: {message}")]
    TooLong {
        /// The server's words.
        message: String,
    },
    /// The server does not accept this request (other 4xx).
    #[error("the provider rejected the request (HTTP {status}): {message}")]
    Rejected {
        /// HTTP status.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// The server failed or is overloaded (408, 5xx, 529).
    #[error("the provider failed (HTTP {status}): {message}")]
    Server {
        /// HTTP status.
        status: u16,
        /// How long the server asked to wait.
        retry_after: Option<Duration>,
        /// The server's words.
        message: String,
    },
    /// The server answered 200 with an error object.
    #[error("the provider reported an error inside a successful reply: {message}")]
    InBand {
        /// The server's words.
        message: String,
    },
    /// No connection, or it broke before the whole reply was there.
    #[error("the connection to the provider failed: {message}")]
    Connection {
        /// What happened.
        message: String,
    },
    /// No whole reply within the time allowed.
    #[error("the provider did not answer within {seconds} s", seconds = after.as_secs_f64())]
    TimedOut {
        /// The time allowed.
        after: Duration,
    },
    /// The reply cannot be read.
    #[error("the provider's reply cannot be read: {message}")]
    Unreadable {
        /// What is wrong with it, with the start of the body.
        message: String,
    },
    /// The script does not fit what happened.
    #[error("script step {step}: {message}")]
    Script {
        /// The step, counted from 1.
        step: usize,
        /// What does not fit.
        message: String,
    },
}

impl ProviderError {
    /// Whether sending the same request again may help.
    ///
    /// A time-out is not retried: the model may still be at work on the first request, and its
    /// tokens are paid for. Nor is an unreadable reply, for the same reason.
    pub fn retryable(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. } | Self::Server { .. } | Self::Connection { .. }
        )
    }

    /// How long the server asked to wait before the next attempt.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        }
    }

    /// The server's words, where they are kept.
    pub(super) fn message_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Key { message, .. }
            | Self::RateLimited { message, .. }
            | Self::Quota { message }
            | Self::TooLong { message }
            | Self::Rejected { message, .. }
            | Self::Server { message, .. }
            | Self::InBand { message }
            | Self::Connection { message }
            | Self::Unreadable { message }
            | Self::Script { message, .. } => Some(message),
            Self::Unsendable(_) | Self::TimedOut { .. } => None,
        }
    }
}
