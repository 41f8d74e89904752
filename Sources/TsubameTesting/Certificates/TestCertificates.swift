// TestCertificates: certificates and PUBLIC private keys, for tests only.
// Written by Scripts/tables/make-test-certificates.sh; do not edit.
#if TestServer

/// Certificates for tests. Their private keys are published with this library's source code, so they prove nothing.
/// Never use them outside tests, and never add the authority to a system's trusted roots.
public enum TestCertificates {
    /// The authority that a client under test trusts. It issued ``TLSIdentity/localhost``,
    /// ``TLSIdentity/expired`` and ``TLSIdentity/wrongHost``. It is valid from 2020 to 2126, and its private key
    /// no longer exists.
    public static let authorityPEM = """
        -----BEGIN CERTIFICATE-----
        MIIBszCCAVmgAwIBAgICEAAwCgYIKoZIzj0EAwIwPjEfMB0GA1UEAwwWVHN1YmFt
        ZSB0ZXN0IGF1dGhvcml0eTEbMBkGA1UECgwSVHN1YmFtZSB0ZXN0cyBvbmx5MCAX
        DTIwMDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjA+MR8wHQYDVQQDDBZUc3Vi
        YW1lIHRlc3QgYXV0aG9yaXR5MRswGQYDVQQKDBJUc3ViYW1lIHRlc3RzIG9ubHkw
        WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT4awrjZ1znzH1Xdku/H/lVB5eJpA/o
        ZyPhyqxdA4gGXsmsgmWbZlEr8jfRCouu/aPXxXekP+8rrjr4WEsycxgzo0UwQzAS
        BgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQU15CD
        lYtDgkR34qsPGjKLqlYqniUwCgYIKoZIzj0EAwIDSAAwRQIhAMV9hPJc7BrRFyce
        p+66ah9zjcuP7Hui6PQeROWCWgV/AiBZm1I5aV9pVtTnHltCovZxuivK02W5vVSg
        iBonts05JQ==
        -----END CERTIFICATE-----
        """

    /// For localhost, 127.0.0.1 and ::1, from 2020 to 2126.
    static let localhostPEM = """
        -----BEGIN CERTIFICATE-----
        MIICBjCCAaygAwIBAgICEAEwCgYIKoZIzj0EAwIwPjEfMB0GA1UEAwwWVHN1YmFt
        ZSB0ZXN0IGF1dGhvcml0eTEbMBkGA1UECgwSVHN1YmFtZSB0ZXN0cyBvbmx5MCAX
        DTIwMDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjAxMRIwEAYDVQQDDAlsb2Nh
        bGhvc3QxGzAZBgNVBAoMElRzdWJhbWUgdGVzdHMgb25seTBZMBMGByqGSM49AgEG
        CCqGSM49AwEHA0IABOS13iN7YZaR+mS2soHKzkju7/MEAde4DStGFT+COLjS4OgD
        kmugYBPcBCV2SXdXtjVMWwLgRcKQhHMghjCB7nmjgaQwgaEwDAYDVR0TAQH/BAIw
        ADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYE
        FIZJ0/rZyaIJgaPWUHKWkdzfAtWZMB8GA1UdIwQYMBaAFNeQg5WLQ4JEd+KrDxoy
        i6pWKp4lMCwGA1UdEQQlMCOCCWxvY2FsaG9zdIcEfwAAAYcQAAAAAAAAAAAAAAAA
        AAAAATAKBggqhkjOPQQDAgNIADBFAiEAxGnbcgPZX4XZcQWJMAiSMTlXnhecmWmi
        NECB8BbElMoCIC7T9CSjHzcmJAOIQxMMut85dVQ96NRCbVrLbroD/o1M
        -----END CERTIFICATE-----
        """

    /// Public: for tests only.
    static let localhostKeyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUkIHgNXWjgEna5PF
        hGqf927BDWmRii/HRuUGcdWtZfihRANCAATktd4je2GWkfpktrKBys5I7u/zBAHX
        uA0rRhU/gji40uDoA5JroGAT3AQldkl3V7Y1TFsC4EXCkIRzIIYwge55
        -----END PRIVATE KEY-----
        """

    /// For localhost, 127.0.0.1 and ::1, in January 2020 only.
    static let expiredPEM = """
        -----BEGIN CERTIFICATE-----
        MIICAzCCAaqgAwIBAgICEAIwCgYIKoZIzj0EAwIwPjEfMB0GA1UEAwwWVHN1YmFt
        ZSB0ZXN0IGF1dGhvcml0eTEbMBkGA1UECgwSVHN1YmFtZSB0ZXN0cyBvbmx5MB4X
        DTIwMDEwMTAwMDAwMFoXDTIwMDIwMTAwMDAwMFowMTESMBAGA1UEAwwJbG9jYWxo
        b3N0MRswGQYDVQQKDBJUc3ViYW1lIHRlc3RzIG9ubHkwWTATBgcqhkjOPQIBBggq
        hkjOPQMBBwNCAAQrVWPg5E59XmkVZlVpj2gPuvZTLIg4d0fK9b7UiXUlbjgo9Ouj
        1laexD2wkx7wQIYgbj3fsrxBXOVuwYqeZ/1so4GkMIGhMAwGA1UdEwEB/wQCMAAw
        DgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMB0GA1UdDgQWBBTz
        RjhFgHcDpGimOrXbHcCp4TUD6TAfBgNVHSMEGDAWgBTXkIOVi0OCRHfiqw8aMouq
        ViqeJTAsBgNVHREEJTAjgglsb2NhbGhvc3SHBH8AAAGHEAAAAAAAAAAAAAAAAAAA
        AAEwCgYIKoZIzj0EAwIDRwAwRAIgOrF0EBOoyv3Lw42RnPr+utSrYtFQWSRBgLQ5
        aMMvlIICIH/1/02dhXVgsvLjYhADoNbgNekDXH4Ef3QovC9nawOF
        -----END CERTIFICATE-----
        """

    /// Public: for tests only.
    static let expiredKeyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXBccbTAPIGNEqrMB
        mumnCsnRissKpOCVec52t99HR8ChRANCAAQrVWPg5E59XmkVZlVpj2gPuvZTLIg4
        d0fK9b7UiXUlbjgo9Ouj1laexD2wkx7wQIYgbj3fsrxBXOVuwYqeZ/1s
        -----END PRIVATE KEY-----
        """

    /// For wrong.host only, from 2020 to 2126.
    static let wrongHostPEM = """
        -----BEGIN CERTIFICATE-----
        MIIB8DCCAZagAwIBAgICEAMwCgYIKoZIzj0EAwIwPjEfMB0GA1UEAwwWVHN1YmFt
        ZSB0ZXN0IGF1dGhvcml0eTEbMBkGA1UECgwSVHN1YmFtZSB0ZXN0cyBvbmx5MCAX
        DTIwMDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjAyMRMwEQYDVQQDDAp3cm9u
        Zy5ob3N0MRswGQYDVQQKDBJUc3ViYW1lIHRlc3RzIG9ubHkwWTATBgcqhkjOPQIB
        BggqhkjOPQMBBwNCAARhXTWag4U0rSLfwvgkoHxB4m33upOUp2ZHJW3mCNg54SW1
        gFYYrp3GfGV7nN1GcsEIFnjRe33vg5NoSgYtox3yo4GNMIGKMAwGA1UdEwEB/wQC
        MAAwDgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMB0GA1UdDgQW
        BBSbbeRpVdRV85BAW0QnYSeejMschDAfBgNVHSMEGDAWgBTXkIOVi0OCRHfiqw8a
        MouqViqeJTAVBgNVHREEDjAMggp3cm9uZy5ob3N0MAoGCCqGSM49BAMCA0gAMEUC
        IDJT4OPiGVYRdha5Lb6vkrMytCynw4JX+1wXXUYTIwe0AiEAwDTkOW5nNDIKJRU4
        FxI/6PWEcgeJPxTgRJiOpImFxBw=
        -----END CERTIFICATE-----
        """

    /// Public: for tests only.
    static let wrongHostKeyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8m6x4m14q3OKlxp7
        SPNUcXLOtGfGIkH/xapRiC6KVTihRANCAARhXTWag4U0rSLfwvgkoHxB4m33upOU
        p2ZHJW3mCNg54SW1gFYYrp3GfGV7nN1GcsEIFnjRe33vg5NoSgYtox3y
        -----END PRIVATE KEY-----
        """

    /// For localhost, 127.0.0.1 and ::1, signed with its own key.
    static let selfSignedPEM = """
        -----BEGIN CERTIFICATE-----
        MIIB2TCCAX6gAwIBAgICEAQwCgYIKoZIzj0EAwIwMTESMBAGA1UEAwwJbG9jYWxo
        b3N0MRswGQYDVQQKDBJUc3ViYW1lIHRlc3RzIG9ubHkwIBcNMjAwMTAxMDAwMDAw
        WhgPMjEyNjAxMDEwMDAwMDBaMDExEjAQBgNVBAMMCWxvY2FsaG9zdDEbMBkGA1UE
        CgwSVHN1YmFtZSB0ZXN0cyBvbmx5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        HgeAnTDA9abES2wqxEybYn4ZLZ9jTPK1Xz5P72DBD5uLuLddeV9Bq+NEWyEfh0F/
        CiaHL/yycN2vnGVEvhXvI6OBgzCBgDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQE
        AwIHgDATBgNVHSUEDDAKBggrBgEFBQcDATAdBgNVHQ4EFgQUCYIftBXCbPnr43Hy
        TCbiBHBXuFUwLAYDVR0RBCUwI4IJbG9jYWxob3N0hwR/AAABhxAAAAAAAAAAAAAA
        AAAAAAABMAoGCCqGSM49BAMCA0kAMEYCIQCSihY4Sui8g7C46lw7hn9y30VmVeHw
        Bq8zJab6DLGxrQIhAJrF5sEAAY90uFbRTl35BkiaFnq2o+IG8PjFmkyoY1Pr
        -----END CERTIFICATE-----
        """

    /// Public: for tests only.
    static let selfSignedKeyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgi/QFFvVOY+ePkS5r
        eLs4dtmkHcwBuKzxmuFcXOncOU6hRANCAAQeB4CdMMD1psRLbCrETJtifhktn2NM
        8rVfPk/vYMEPm4u4t115X0Gr40RbIR+HQX8KJocv/LJw3a+cZUS+Fe8j
        -----END PRIVATE KEY-----
        """
}
#endif
