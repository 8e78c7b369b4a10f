import { MemoryTokenStore } from 'nestjs-provider-auth/testing';

class MyTokenStore extends MemoryTokenStore {}

// THE BLOCK
