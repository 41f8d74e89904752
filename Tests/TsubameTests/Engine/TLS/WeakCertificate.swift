// WeakCertificate: a server with a short RSA key, and the authority that issued its certificate. The server's private
// key is PUBLIC, for tests only; the authority's no longer exists.

import TsubameTesting

extension TLSIdentity {
    /// For localhost, 127.0.0.1 and ::1, from 2020 to 2126, with an RSA key of 1024 bits.
    static let weak = TLSIdentity(certificatesPEM: WeakCertificate.pem, privateKeyPEM: WeakCertificate.keyPEM)
}

enum WeakCertificate {
    static let authorityPEM = """
        -----BEGIN CERTIFICATE-----
        MIIBozCCAUmgAwIBAgICEAEwCgYIKoZIzj0EAwIwNjEXMBUGA1UEAwwOV2VhayBh
        dXRob3JpdHkxGzAZBgNVBAoMElRzdWJhbWUgdGVzdHMgb25seTAgFw0yMDAxMDEw
        MDAwMDBaGA8yMTI2MDEwMTAwMDAwMFowNjEXMBUGA1UEAwwOV2VhayBhdXRob3Jp
        dHkxGzAZBgNVBAoMElRzdWJhbWUgdGVzdHMgb25seTBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABNHdTpkXxx7QPwiVhQSHkIdY/nfjn70wrDqgiI3WVGVZ6HnsePa3
        Sk7r2N7eBc7eyOHuVXqVEs0FCNFca4CdYdajRTBDMBIGA1UdEwEB/wQIMAYBAf8C
        AQAwDgYDVR0PAQH/BAQDAgIEMB0GA1UdDgQWBBQRs110oTzDal4SNI0FNwzB7oG4
        MjAKBggqhkjOPQQDAgNIADBFAiEAtPWkFUMbYJqcCjzHE46i/D95IdcMj1zeB0sV
        pNo1I/8CICVvDQ012R0HjvucXkDCRZ6ANlYvRkMuhB2Aqrv1DCME
        -----END CERTIFICATE-----
        """

    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIICRDCCAeugAwIBAgICEAIwCgYIKoZIzj0EAwIwNjEXMBUGA1UEAwwOV2VhayBh
        dXRob3JpdHkxGzAZBgNVBAoMElRzdWJhbWUgdGVzdHMgb25seTAgFw0yMDAxMDEw
        MDAwMDBaGA8yMTI2MDEwMTAwMDAwMFowMTESMBAGA1UEAwwJbG9jYWxob3N0MRsw
        GQYDVQQKDBJUc3ViYW1lIHRlc3RzIG9ubHkwgZ8wDQYJKoZIhvcNAQEBBQADgY0A
        MIGJAoGBANMpM+aovegdV69re8D8aJDDs5vD7noehBwm/j9sc/GgkucRDVPtlgz9
        czZuy1vi/u7wYExnaOzM3U44hPXOYKNW4rhGk+meZ4bhUrosJ9Hhgjt7L8Bdobjn
        zyrVyBwqcyFzO3a4Wo3llJEsTJ5Ouyy4Xqu1ikzgzcX1aciTMuEPAgMBAAGjgaQw
        gaEwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYB
        BQUHAwEwLAYDVR0RBCUwI4IJbG9jYWxob3N0hwR/AAABhxAAAAAAAAAAAAAAAAAA
        AAABMB0GA1UdDgQWBBSZkp4y5XN3yg5+7q60Iy+1eppEUjAfBgNVHSMEGDAWgBQR
        s110oTzDal4SNI0FNwzB7oG4MjAKBggqhkjOPQQDAgNHADBEAiANC3kpSAm5ivg4
        IImo0Qx+Lv5SxY3mqM6RA+ShShb2eAIgaLyZSQgInKYKR7KHSlPFF2lcWDkMtn9E
        BvDlYBfC2fY=
        -----END CERTIFICATE-----
        """

    static let keyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBANMpM+aovegdV69r
        e8D8aJDDs5vD7noehBwm/j9sc/GgkucRDVPtlgz9czZuy1vi/u7wYExnaOzM3U44
        hPXOYKNW4rhGk+meZ4bhUrosJ9Hhgjt7L8BdobjnzyrVyBwqcyFzO3a4Wo3llJEs
        TJ5Ouyy4Xqu1ikzgzcX1aciTMuEPAgMBAAECgYBjIoTrVW1S+/Oet6dyAw5UaIx6
        JJJhYtJDJUtYG2KTnf9Z2/eV34UCtDrS41E14mwtYUzUkfgAtG1xu7cwb6OOMUpO
        JCL2wXsAZHNs/JQJJbTqzSitNwS1sf/VzFT541du0b0qpMO54y9DmLwRYjlGjM06
        SsmswwkEk8A1zBIygQJBAPKWPWZ+3Nut8Q7tD+KXKD0Lgbm/3YV5QxEUqD29DatI
        4r/GVe8YRYKmY8Rrx2cH1HBWnpRd6Xuk1JjmQyHJ2e0CQQDe1iLkd1a9yOEKz3zk
        P4qtIg29jCfOSm9Cg5j9qUp3kN3Xs3X4ZhrM0m5N6/AUeaDqz/JOAO01DbjPXG+k
        MpdrAkA3vraVWwm9oZcHawp/c2TXwlEpMiHhjiAPSMPwjAUcGz+f+h+9NcKjZ0D9
        3haQYog62GzQg1QoCZShHijHFu9xAkBjx/tD1nRO8z5h+trv0cwlDpSchb/lTctY
        O1ksbLvdok7UIZX3rrDdenTOC5IrePMncgoMB7owAX75y2hqXAUVAkBrbuO6OZpQ
        ai+c+2oI0JsyFbQSkgxQBNHhU7yjXmjSGKVm/yaJbDTfBNoKs5WDhl/UfQO7T0Bm
        edf1+wABrj2U
        -----END PRIVATE KEY-----
        """
}
