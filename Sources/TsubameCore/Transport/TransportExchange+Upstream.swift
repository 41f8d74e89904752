// TransportExchange+Upstream: an exchange that a transport leaves to another one.

extension TransportExchange {
    /// Has another transport perform the exchange, perhaps with another body. That transport gets an exchange of its own,
    /// which keeps the deadlines and reports the events.
    package func pass(_ request: Request, to transport: any Transport) async throws(CallError) -> Response {
        try await passOn { () throws(CallError) in
            try await TransportExchange(request, call: call, support: support).run(transport)
        }
    }
}
