// ClientCertificate: the certificate and the key that a client shows in tests.
#if TestServer

/// The certificate is signed with its own key and is its own authority. The key is published here, so it proves
/// nothing.
package enum ClientCertificate {
    package static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBsjCCAVmgAwIBAgIUKdDGo45hcO6mqMPGBOHjrHcWl8kwCgYIKoZIzj0EAwIw
        LjEbMBkGA1UECgwSVHN1YmFtZSB0ZXN0cyBvbmx5MQ8wDQYDVQQDDAZjbGllbnQw
        IBcNMjYxMTIxMjAzMzAzWhgPMjEyNjEwMjgyMDMzMDNaMC4xGzAZBgNVBAoMElRz
        dWJhbWUgdGVzdHMgb25seTEPMA0GA1UEAwwGY2xpZW50MFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAE8d3x4ixKBx+LgQwbqOl1YMgI7Ew0No/mKJc2CI5BkdRy0lyL
        YqK3X1YpBW3xTfgHEpHXniiQWdm2lTihW1mmfqNTMFEwHQYDVR0OBBYEFBPdMBmY
        R8YgyUJsxx+a0/b5u6OjMB8GA1UdIwQYMBaAFBPdMBmYR8YgyUJsxx+a0/b5u6Oj
        MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgU9C36D81o3fjSHYW
        ArJW0ey8yAx7n2ld+iClx5bxBbYCIFfcedI2UX2OpblwG65QNIzOQffJ7WNytW3n
        n8pPGLBP
        -----END CERTIFICATE-----
        """

    package static let keyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgee4RVUzQ+CIpm3yj
        T7Ym8HC/m54/jho4p+PfPiKd3qChRANCAATx3fHiLEoHH4uBDBuo6XVgyAjsTDQ2
        j+YolzYIjkGR1HLSXItiordfVikFbfFN+AcSkdeeKJBZ2baVOKFbWaZ+
        -----END PRIVATE KEY-----
        """

    /// The same key, encrypted with ``passphrase`` by AES-256.
    package static let encryptedKeyPEM = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAivVGvtm78dPwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEK1HEOZMSo02rZS8u+z5lz4EgZBE
        s3BDAU/U6VymCaQ91YGID+M/7OLEw5PyJDd+4WdEMpi49O9Rnk08eqstJDJ2ckGr
        p/WiaLlnyedW/XxG9+PN/qkupDL/b/3XyYMaLw3hK/poofOQnmwU4aE6/BH6e4f9
        N8R7QsiE6oTkibBcmI/9Mx/qXl38A9lKAfmi5SuBVCImklkP1UVfV2AXXkR1Xcw=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    package static let passphrase = "open sesame"
}
#endif
