// AuthorityEndpoint: /authority.pem, the certificate that clients of an HTTPS server have to trust.
#if Server
import HummingbirdCore

enum AuthorityEndpoint {
    static let routes = [
        Route("/authority.pem", "the authority of this server's certificate; 404 without one") { exchange in
            guard let authority = exchange.settings.tls?.authority else {
                throw Problem(404, "no authority is known for this server")
            }
            return try Reply.text(authority, type: "application/x-pem-file")
        }
    ]
}

#endif
