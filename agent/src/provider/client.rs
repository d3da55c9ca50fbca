//! A provider reached over HTTP: the wire layer and the transport put together.

use super::error::ProviderError;
use super::message::{Reply, Request};
use super::registry::Endpoint;
use super::transport::{Settings, Transport, TransportError};
use super::{ChatFuture, ModelProvider, openai, openai_error, pairing};

/// A model behind an OpenAI-compatible server.
#[derive(Clone, Debug)]
pub struct Client {
    transport: Transport,
    name: String,
}

impl Client {
    /// A client for a resolved endpoint. Nothing is sent.
    pub fn new(endpoint: Endpoint, settings: Settings) -> Result<Self, TransportError> {
        let name = format!("{}/{}", endpoint.provider, endpoint.model);
        Ok(Self {
            transport: Transport::new(endpoint, settings)?,
            name,
        })
    }

    async fn exchange(&self, request: &Request) -> Result<Reply, ProviderError> {
        pairing::check(request)?;
        let endpoint = self.transport.endpoint();
        let body = openai::encode(request, &endpoint.model, endpoint.dialect).to_string();
        let size = body.len();
        self.transport
            .exchange("/chat/completions", body.into_bytes(), |response| {
                if (200..300).contains(&response.status) {
                    openai::decode(&response.body, size)
                } else {
                    Err(openai_error::decode_error(
                        response.status,
                        response.retry_after,
                        &response.body,
                    ))
                }
            })
            .await
    }
}

impl ModelProvider for Client {
    fn name(&self) -> &str {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a Request) -> ChatFuture<'a> {
        Box::pin(self.exchange(request))
    }
}
